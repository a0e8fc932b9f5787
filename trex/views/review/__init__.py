"""A review of an engine as every reader shows it: findings with their price, and what could not be told."""

"""A Comparison as sections: sentences, facts and tables for every reader."""

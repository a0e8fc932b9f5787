"""trtexec: find it, write its command lines, explain its failures."""

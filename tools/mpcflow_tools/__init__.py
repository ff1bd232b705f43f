"""Reading and looking at the results of mpcflow."""

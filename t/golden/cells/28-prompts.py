In [1]: x = 2
In [2]: x

import warnings


def old():
    warnings.warn("old() is old", DeprecationWarning, stacklevel=2)


warnings.warn("look out")
old()
print("went on")

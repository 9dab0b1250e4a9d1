print(repr(_), repr(__), Out, len(In), In[-1].splitlines()[0])
_

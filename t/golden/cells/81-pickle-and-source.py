import inspect
import pickle


class Kept:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n


print(pickle.loads(pickle.dumps(Kept(3))) == Kept(3), Kept.__module__, __name__)
print(inspect.getsource(Kept.__eq__))
"__file__" in globals()

def read(d):
    try:
        return d["key"]
    except KeyError as e:
        raise ValueError("no such key: 'key'") from e


try:
    read({})
except ValueError:
    raise RuntimeError("while handling")

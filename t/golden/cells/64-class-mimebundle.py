class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"text/html": "<b>b</b>", "application/vnd.own.v1+json": {"a": 1}}
        return data, {"application/vnd.own.v1+json": {"expanded": True}}

    def __repr__(self):
        return "Bundle()"


Bundle()

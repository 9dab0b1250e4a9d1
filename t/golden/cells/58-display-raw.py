import base64

bundle = {
    "text/plain": "plain",
    "text/html": "<i>raw</i>",
    "application/x-own+json": {"n": [1, {"deep": None}]},
    "text/csv": "a,b\n1,2\n",
    "application/pdf": base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode(),
}
display(bundle, raw=True)

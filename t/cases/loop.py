# SPDX-License-Identifier: Apache-2.0
import http.server
import threading
import urllib.request

srv = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=srv.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://localhost:{srv.server_address[1]}/").status)
srv.shutdown()

get_ipython().run_cell_magic("writefile", "/tmp/mod_own.py", "print('ran')\nkept = 3\n")
%run /tmp/mod_own.py
from IPython.utils.capture import capture_output

with capture_output() as caught:
    print("captured")
    display(4)
get_ipython().run_cell_magic("html", "", "<b>cell</b>")
get_ipython().run_line_magic("env", "TZ"), caught.stdout, kept

from IPython.display import clear_output

display("gone")
clear_output()
display("stays")

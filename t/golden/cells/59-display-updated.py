from IPython.display import display, update_display

display("one", display_id="same")
display("other")
update_display("two", display_id="same")

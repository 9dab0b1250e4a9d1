class Self:
    def _ipython_display_(self):
        print("by itself")
        display("and so")


Self()

%precision 3
%matplotlib inline
import math
%who
%pwd
math.pi

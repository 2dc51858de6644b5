const a = "\\"; /* @x@ ${y} ; */

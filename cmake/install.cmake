# Filled by the install and package rules.

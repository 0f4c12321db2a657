"""Forms made from JSON Schema: rows of fields, and the texts that are no values yet.
Properties and Requests use them.
"""

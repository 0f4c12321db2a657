"""Files by the hundred that are made to harm who opens them: see
`tests.hostile.__main__`.
"""

"""Implements the Agent Client Protocol without I/O: bytes in, events out; what to send, as bytes.

`framing` and `jsonrpc` carry messages, `decode` makes models (`schema`) of what agents send, `encode` and
`methods` build what they get, `dialects` hold what one agent does unlike the others.
"""

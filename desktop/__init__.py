"""The product on one machine: its process, folders kept in step with it, files as notes. The commands
of `cli` start it and call it.

files       a folder of Markdown and other texts -> notes, and what is written into files
client      requests to a product, on this machine or on a server, and the replies
product     the process of `aurora dev`: its page, its store, who may reach it, which model writes
folders     files and notes -> what has changed on either side -> one merge of each
"""

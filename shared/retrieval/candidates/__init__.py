"""Analysis and restriction -> the candidates: vectors, keywords and newest chunks, in the time that is named.

finding -> places -> legs, vector_leg -> pool
relaxation, widening: what to do with a time in which little was written
"""

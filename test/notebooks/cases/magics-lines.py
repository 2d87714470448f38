# Line magics.
%pwd == __import__("os").getcwd()
# %%
a, b = 1, "two"
%who_ls
# %%
%whos int
# %%
%env OMP_NOTEBOOK=set
# %%
!echo $OMP_NOTEBOOK
# %%
%precision 3
3.14159265
# %%
%precision %r
%alias_magic p pwd
# %%
%history -n 1
# %%
%unknown_magic 1
# %%
%lsmagic?

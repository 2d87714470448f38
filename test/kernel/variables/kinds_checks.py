assert (none, yes, n, big, f, cx, s, b) == (None, True, 1, 10**50, 1.5, 1 + 2j, "text", b"bytes")
assert (t, d, st, fs) == ((1, "a"), {"a": 1}, {1, 2}, frozenset({1}))
assert (bytes(ba), list(rng), sl) == (b"xy", [0, 1, 2], slice(1, 2))
assert (list(dq), dq.maxlen, dd["z"], od["a"], cn["a"]) == ([1], 3, [], 1, 2)
assert (dt.year, td.days, str(dec), fr.denominator) == (2020, 1, "1.1", 3)
assert (str(pth), rx.pattern, uid.int, str(exc), sio.read()) == ("/x", "a+", 1, "bad", "abc")
assert (next(it), next(count), itemg([1, 2]), join("a", "b")) == (1, 3, 2, "a/b")
assert nested["l"] is lst and nested["d"] is d and alias is lst and lst[:3] == [1, 2, 3]
assert loop[0] is loop
assert one[0] is two and two[0] is one
assert left["h"] is right["h"]
assert arr.sum() == 4999950000 and arr.flags.writeable and (view == arr[:10]).all() and (strided == arr[::7]).all()
assert farr.flags.f_contiguous and small.shape == (3,) and objarr[0] is lst and rec["b"][0] == 2.0
assert p.scaled() == 21 and p2.y[0] is p and isinstance(p, P) and p == P(3)
assert red is Color.RED and colors[Color.BLUE] == 1 and Color(2) is Color.BLUE
assert child.go() == 8 and child.double == 2 and Child.make().v == 1 and Child.scale() == 7 and isinstance(child, Base)
assert nt.a == 1 and isinstance(nt, NT) and tn.q == 4 and type(tn) is TN
assert box.v == 3 and isinstance(box, Box) and Box[int] and leaf.parent is root and root.children == [leaf]
assert (inc(), get()) == (2, 2)
assert (add_n(1), partial(), fib(30), list(gen()), wrapped(1), kw(1), ping(4)) == (2, 12, 832040, [7], 8, 3, 0)
assert (kw.__doc__, kw.attr, kw.__annotations__) == ("doc", 5, {"return": int})
import asyncio; assert await co() == 7
factor = 8; assert (p.scaled(), bound(), child.go(), wrapped(1)) == (24, 24, 9, 9); factor = 7
assert "g" not in globals() and "fh" not in globals()

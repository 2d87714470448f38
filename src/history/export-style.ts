/** The look of an exported session: light or dark as the reader has it. */

export const style = `:root {
  color-scheme: light dark;
  --back: #fff;
  --text: #1c1e21;
  --dim: #636a73;
  --line: #d9dde2;
  --box: #f5f6f8;
  --user: #e8f0fe;
  --bad: #b3261e;
  --add: #1a7f37;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #16181c;
    --text: #e4e6ea;
    --dim: #9aa2ad;
    --line: #33383f;
    --box: #1e2126;
    --user: #1d2a3f;
    --bad: #ff8a80;
    --add: #6fdd8b;
  }
}
body {
  max-width: 60rem;
  margin: 2rem auto;
  padding: 0 1rem;
  background: var(--back);
  color: var(--text);
  font:
    16px / 1.5 system-ui,
    sans-serif;
}
h1 {
  font-size: 1.3rem;
}
header p,
.at {
  color: var(--dim);
  font-size: 0.85rem;
}
section,
details {
  margin: 1rem 0;
}
.text {
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.user {
  padding: 0.6rem 1rem;
  border-radius: 0.5rem;
  background: var(--user);
}
.reasoning,
.note {
  padding-left: 1rem;
  border-left: 3px solid var(--line);
  color: var(--dim);
}
details {
  border: 1px solid var(--line);
  border-radius: 0.5rem;
}
summary {
  padding: 0.4rem 0.8rem;
  cursor: pointer;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.failed summary b {
  color: var(--bad);
}
pre {
  margin: 0;
  padding: 0.6rem 0.8rem;
  border-top: 1px solid var(--line);
  background: var(--box);
  overflow-x: auto;
  font:
    13px / 1.45 ui-monospace,
    monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.add {
  color: var(--add);
}
.remove {
  color: var(--bad);
}
.hunk {
  color: var(--dim);
}
p,
li {
  overflow-wrap: anywhere;
}
code {
  padding: 0 0.2em;
  background: var(--box);
  font:
    0.9em ui-monospace,
    monospace;
}
blockquote {
  margin-left: 0;
  padding-left: 1rem;
  border-left: 3px solid var(--line);
}
table {
  display: block;
  overflow-x: auto;
  border-collapse: collapse;
}
th,
td {
  padding: 0.2rem 0.6rem;
  border: 1px solid var(--line);
  text-align: left;
}
img {
  max-width: 100%;
}
`;

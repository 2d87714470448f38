/** Files that the program carries as text: prompts and the Python side of the kernel. */
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.py" {
  const text: string;
  export default text;
}

/** WebAssembly that the program carries as a file: the import is its path. */
declare module "*.wasm" {
  const path: string;
  export default path;
}

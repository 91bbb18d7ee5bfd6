/** The type of a CSS module, which maps the class names in the source to the generated class names. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module '*.css';

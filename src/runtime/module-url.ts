/** URL of a module beside another one, whether the sources run as they are (`.ts`) or built (`.js`). */
export const siblingModule = (moduleUrl: string, name: string): URL =>
  new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.js'}`, moduleUrl)

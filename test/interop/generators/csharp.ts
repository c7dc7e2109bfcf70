import type { Language } from './language.ts'
import { missingProgram, start } from './programs.ts'

/** Compiled only: there is no driver, for no machine of the project has had the tools. */
export const csharp: Language = {
  name: 'csharp',
  library: 'generichost',
  options: ['-g', 'csharp'],
  integers: 'exact',
  limits: 'never compiled so far',
  missing: () => missingProgram('dotnet', '--version'),
  build: async ({ client }) => {
    await start('dotnet', ['build', 'src/Org.OpenAPITools'], { cwd: client })
    return () => Promise.reject(new Error('no driver'))
  },
}

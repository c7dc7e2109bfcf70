import { createRequire } from 'node:module'
import { installForeign } from './install.ts'

/** What is wrong with a bill of materials, by the schema of CycloneDX 1.5; null when nothing is. */
export const validateBill = async (text: string): Promise<unknown> => {
  await installForeign()
  const { Validation } = createRequire(import.meta.url)('@cyclonedx/cyclonedx-library') as CycloneDx
  return await new Validation.JsonStrictValidator('1.5').validate(text)
}

/** As far as it is called here: its types are installed with it. */
type CycloneDx = {
  readonly Validation: {
    readonly JsonStrictValidator: new (version: string) => { validate(text: string): Promise<unknown> }
  }
}

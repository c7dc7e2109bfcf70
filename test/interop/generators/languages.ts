import { csharp } from './csharp.ts'
import { go } from './go.ts'
import { javaLanguages } from './java.ts'
import { kotlin } from './kotlin.ts'
import type { Language } from './language.ts'
import { openapiPythonClient } from './openapi-python-client.ts'
import { orval } from './orval.ts'
import { python } from './python.ts'
import { rust } from './rust.ts'
import { typescript } from './typescript.ts'

/** Quick to build: a test makes them each time. */
export const testedLanguages: readonly Language[] = [
  python,
  typescript,
  ...javaLanguages,
  go,
  orval,
  openapiPythonClient,
]

/** All of them: `npm run clients -- --all`. */
export const allLanguages: readonly Language[] = [...testedLanguages, rust, kotlin, csharp]

/** What pages need beside Sluice, and whether this machine has it. */
import { dirname, join } from 'node:path'
import { findProgram } from '../../scripts/find-program.ts'
import { makePythonEnvironment } from '../interop/python-environment.ts'
import type { Block } from './blocks.ts'

/** A part as `SLUICE_REQUIRE` names it, why it is missing, and where its programs are. */
export type Part = { readonly part: string; readonly missing?: string; readonly path?: string }

type Known = { readonly part: string; readonly uses: RegExp; readonly find: () => Promise<Omit<Part, 'part'>> }

const program = (part: string, name: string, uses = new RegExp(`\\b${name}\\b`)): Known => ({
  part,
  uses,
  find: async () => ((await findProgram(name)) === undefined ? { missing: `no "${name}" on the PATH` } : {}),
})

const known: readonly Known[] = [
  program('curl', 'curl'),
  program('generators', 'go', /\bgo (?:run|build|mod|get)\b/),
  program('generators', 'java', /\bjavac? -?\w/),
  program('generators', 'mvn'),
  program('nginx', 'nginx', /\bnginx -/),
  program('haproxy', 'haproxy', /\bhaproxy -/),
  program('promtool', 'promtool'),
  program('curl', 'openssl', /\bopenssl \w/),
  {
    part: 'readers',
    uses: /\bpython3?\b|\bduckdb -/,
    find: async () => {
      const requirements = join(import.meta.dirname, '../interop/readers/python/requirements.txt')
      const made = await makePythonEnvironment('readers', requirements)
      return 'missing' in made ? made : { path: dirname(made.python) }
    },
  },
]

/** The parts that what is typed there calls. */
export const findParts = async (blocks: readonly Block[]): Promise<readonly Part[]> => {
  const typed = blocks
    .filter(({ language, words }) => ['sh', 'console'].includes(language) && !words.has('not-run'))
    .map(({ code }) => code)
    .join('\n')
  return Promise.all(
    known.filter(({ uses }) => uses.test(typed)).map(async ({ part, find }) => ({ part, ...(await find()) })),
  )
}

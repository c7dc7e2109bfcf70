import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driversUrl, type Language } from './language.ts'
import { missingProgram, start } from './programs.ts'

/** net/http. */
export const go: Language = {
  name: 'go',
  library: 'net/http',
  options: ['-g', 'go'],
  integers: 'exact',
  limits:
    'numbers of rows are float64; exact when the body of the answer, which the call gives beside the result, is decoded with `UseNumber`',
  missing: () => missingProgram('go', 'version'),
  build: async ({ directory, client }) => {
    await mkdir(join(client, 'journey'))
    await copyFile(fileURLToPath(new URL('journey.go', driversUrl)), join(client, 'journey', 'main.go'))
    const program = join(directory, 'journey')
    const env = { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' }
    await start('go', ['build', '-o', program, './journey'], { cwd: client, env })
    return (...args) => start(program, args, { cwd: directory })
  },
}

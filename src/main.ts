import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Compiled code is cached beside the sources, since a user who can write there could change those as well. Where the
// server cannot, and on runtimes that do it otherwise, a start takes longer.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)))
const [{ createApp }, { run }] = await Promise.all([import('./app/app.ts'), import('./app/run.ts')])
await run(createApp)

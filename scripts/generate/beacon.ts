// `node scripts/generate/beacon.ts [FILE]`: the tracker for web pages as one small ES module, minified; to
// dist/clients/beacon.min.js where no file is named.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const source = fileURLToPath(new URL('../../clients/beacon/beacon.ts', import.meta.url))

/** The module's text: everything it imports is in it. */
export const buildBeacon = async (): Promise<string> => {
  const bundle = await rolldown({ input: source, platform: 'browser', treeshake: true })
  try {
    const { output } = await bundle.generate({ format: 'es', minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = resolve(process.argv[2] ?? fileURLToPath(new URL('../../dist/clients/beacon.min.js', import.meta.url)))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, await buildBeacon())
  console.log(target)
}

import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const source = fileURLToPath(new URL('../../clients/beacon/beacon.ts', import.meta.url))

/** The tracker for web pages as one small ES module, minified: everything it imports is in it. */
export const buildBeacon = (): Promise<string> => build('es')

/** The same for pages without modules: a script that leaves `sluiceBeacon`, which has what the module exports. */
export const buildBeaconScript = (): Promise<string> => build('iife')

const build = async (format: 'es' | 'iife'): Promise<string> => {
  const bundle = await rolldown({ input: source, platform: 'browser', treeshake: true })
  try {
    const { output } = await bundle.generate({ format, name: 'sluiceBeacon', minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}

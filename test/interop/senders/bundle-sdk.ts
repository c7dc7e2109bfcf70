import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { installForeign } from '../../foreign/install.ts'

/** A module that is nowhere, beside the packages. */
const entry = fileURLToPath(new URL('../../foreign/sdk.js', import.meta.url))

/** An SDK of another make as a web site would serve it: scripts by their paths, of which `/sdk.js` exports all of it as `sdk`. */
export const bundleSdk = async (name: string): Promise<ReadonlyMap<string, string>> => {
  await installForeign()
  const bundle = await rolldown({
    input: { sdk: entry },
    platform: 'browser',
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: id => (id === entry ? id : undefined),
        load: id => (id === entry ? `export * as sdk from ${JSON.stringify(name)}` : undefined),
      },
    ],
  })
  try {
    const { output } = await bundle.generate({ format: 'es', entryFileNames: '[name].js' })
    return new Map(output.map(file => [`/${file.fileName}`, file.type === 'chunk' ? file.code : String(file.source)]))
  } finally {
    await bundle.close()
  }
}

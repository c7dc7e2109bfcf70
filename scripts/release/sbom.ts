/** The software bill of materials: all that the server brings, from package-lock.json, in CycloneDX (https://cyclonedx.org). */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { publishedManifest } from './manifest.ts'

const bomShape = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
})
const lockShape = z.object({
  packages: z.record(z.string(), z.object({ version: z.string(), dev: z.boolean().optional() })),
})

/** npm's, with a time and a number that only depend on what is in it. @param date seconds since the epoch */
export const makeSbom = (date: number): string => {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--loglevel=error']
  const bom = bomShape.parse(JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })))
  const { name, version, description } = publishedManifest
  // npm takes the name of the folder, and notes that the clone itself is not to be published.
  const component = { ...bom.metadata.component, name, version, description, properties: [] }
  const metadata = { ...bom.metadata, timestamp: new Date(date * 1000).toISOString(), component }
  // npm's own --omit=dev also omits what the server needs when a tool of the clone needs it too.
  const installed = installedPackages()
  const components = bom.components.filter(one => installed.has(one['bom-ref']))
  const dependencies = bom.dependencies
    .filter(({ ref }) => ref === component['bom-ref'] || installed.has(ref))
    .map(one => ({ ...one, dependsOn: one.dependsOn.filter(ref => installed.has(ref)) }))
  const serialNumber = `urn:uuid:${toUuid(JSON.stringify([component, components]))}`
  return `${JSON.stringify({ ...bom, serialNumber, metadata, components, dependencies }, null, 2)}\n`
}

/** Those that an installation may have, as `name@version`. */
const installedPackages = (): ReadonlySet<string> => {
  const { packages } = lockShape.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')))
  const found = Object.entries(packages).filter(([path, { dev = false }]) => path !== '' && !dev)
  return new Set(found.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`))
}

/** A UUID of version 8 (RFC 9562): the bits are a hash of the text. */
const toUuid = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}

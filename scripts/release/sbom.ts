/** The software bill of materials: all that the server brings, from package-lock.json, in CycloneDX (https://cyclonedx.org). */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { publishedManifest } from './manifest.ts'

const shape = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(z.looseObject({ name: z.string() })),
})

/** npm's, with a time and a number that only depend on what is in it. @param date seconds since the epoch */
export const makeSbom = (date: number): string => {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--omit=peer']
  const output = execFileSync('npm', [...args, '--package-lock-only', '--loglevel=error'], { encoding: 'utf8' })
  const bom = shape.parse(JSON.parse(output))
  const { name, version, description } = publishedManifest
  // npm takes the name of the folder, and tells that the clone itself is not to be published.
  const component = { ...bom.metadata.component, name, version, description, properties: [] }
  const metadata = { ...bom.metadata, timestamp: new Date(date * 1000).toISOString(), component }
  const serialNumber = `urn:uuid:${toUuid(JSON.stringify([component, bom.components]))}`
  return `${JSON.stringify({ ...bom, serialNumber, metadata }, null, 2)}\n`
}

/** A UUID of version 8 (RFC 9562): the bits are a hash of the text. */
const toUuid = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}

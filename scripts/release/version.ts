/** Versions: https://semver.org, without the parts after a hyphen or a plus. */

type Parts = readonly [major: number, minor: number, patch: number]

/** The version after `current`: a number that is higher, or which part of it goes up. @throws RangeError anything else */
export const nextVersion = (current: string, wanted: string): string => {
  const [major, minor, patch] = parse(current)
  if (wanted === 'major') return `${major + 1}.0.0`
  if (wanted === 'minor') return `${major}.${minor + 1}.0`
  if (wanted === 'patch') return `${major}.${minor}.${patch + 1}`
  if (!isHigher(parse(wanted), [major, minor, patch]))
    throw new RangeError(`A release goes up: ${wanted} does not come after ${current}`)
  return wanted
}

const parse = (text: string): Parts => {
  const [, major, minor, patch] = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(text) ?? []
  if (patch === undefined)
    throw new RangeError(`A version is three numbers as in 1.2.3, or patch, minor or major; found ${text}`)
  return [Number(major), Number(minor), Number(patch)]
}

const isHigher = (one: Parts, other: Parts): boolean => {
  const i = one.findIndex((number, at) => number !== other[at])
  return (one[i] ?? 0) > (other[i] ?? 0)
}

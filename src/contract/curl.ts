import type { Operation, Parameter } from './contract.ts'

/** A `curl` command that calls an operation with the examples of the contract, ready for a POSIX shell. */
export const toCurlExample = (operation: Operation, baseUrl: string): string => {
  const { method, path, parameters, requestContent } = operation
  const query = pickParameters(parameters)
    .map(({ name, example }) => `${name}=${encodeReadably(String(example))}`)
    .join('&')
  const filled = parameters
    .filter(parameter => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path)
  const url = quote(`${baseUrl}${filled}${query === '' ? '' : `?${query}`}`)
  return [
    'curl -i',
    ...(method === 'GET' || method === 'POST' ? [] : ['-X', method]),
    url,
    ...toBody(requestContent),
  ].join(' ')
}

/** The required ones; where none is, the first, so that the line shows how parameters are sent. */
const pickParameters = (parameters: readonly Parameter[]): readonly Parameter[] => {
  const inQuery = parameters.filter(parameter => parameter.in === 'query' && parameter.example !== undefined)
  const required = inQuery.filter(parameter => parameter.required)
  return required.length > 0 ? required : inQuery.filter(({ name }) => name === 'path')
}

const toBody = (content: Operation['requestContent']): readonly string[] => {
  const json = content['application/json']
  if (json !== undefined) {
    const [first = { value: json.example }] = Object.values(json.examples)
    return ['\\\n  -H', quote('Content-Type: application/json'), '\\\n  -d', quote(JSON.stringify(first.value))]
  }
  if (Object.keys(content).length === 0) return []
  return ['\\\n  -H', quote('Content-Type: application/octet-stream'), '\\\n  --data-binary', '@words.txt']
}

/** Leaves what a query may hold as it is and people like to read. */
const encodeReadably = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%2F|%2C|%3A/g, escaped => decodeURIComponent(escaped))

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

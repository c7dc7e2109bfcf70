import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The command that opens an address on this machine, with its arguments; undefined without a screen. */
export const browserOf = (
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] | undefined => {
  if (env['BROWSER']) return [env['BROWSER']]
  if (platform === 'darwin') return ['open']
  // Not `start`, to whose shell an & in an address means something.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

/** Hands an address to a browser. @returns whether there was one to take it */
export const openInBrowser = async (url: string, [command = '', ...words]: readonly string[]): Promise<boolean> => {
  const child = spawn(command, [...words, url], { detached: true, stdio: 'ignore' })
  const isOpen = await once(child, 'spawn').then(
    () => true,
    () => false,
  )
  child.unref()
  return isOpen
}

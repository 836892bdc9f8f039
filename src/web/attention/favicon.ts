/** The lamp that is lit in the browser's tab: the lowest when all is well, the highest when somebody is needed. */
export type Lamp = "calm" | "working" | "attention";

const LAMPS: Readonly<Record<Lamp, { readonly at: number; readonly colour: string }>> = {
  attention: { at: 9, colour: "#ffb02e" },
  working: { at: 16, colour: "#6f9bff" },
  calm: { at: 23, colour: "#4cc38a" },
};

export function showLamp(lamp: Lamp): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link) link.href = `data:image/svg+xml,${encodeURIComponent(drawing(lamp))}`;
}

function drawing(lamp: Lamp): string {
  const circles = Object.entries(LAMPS).map(([name, { at, colour }]) => {
    const [radius, fill] = name === lamp ? [4.4, colour] : [3, "#4a515b"];
    return `<circle cx="16" cy="${at}" r="${radius}" fill="${fill}"/>`;
  });
  const body = '<rect x="9" y="1" width="14" height="30" rx="7" fill="#1c2026"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${body}${circles.join("")}</svg>`;
}

/** Two short, soft tones. Made here: there is no file to load. */
const TONES_HZ = [660, 880] as const;
const TONE_S = 0.12;
const VOLUME = 0.08;

let context: AudioContext | null = null;

export function playSignal(): void {
  context ??= new AudioContext();
  const { currentTime, destination } = context;
  for (const [index, frequency] of TONES_HZ.entries()) {
    const startS = currentTime + index * TONE_S;
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0, startS);
    gain.gain.linearRampToValueAtTime(VOLUME, startS + 0.02);
    gain.gain.linearRampToValueAtTime(0, startS + TONE_S);
    const tone = new OscillatorNode(context, { frequency });
    tone.connect(gain).connect(destination);
    tone.start(startS);
    tone.stop(startS + TONE_S);
  }
  // A page that nobody has touched yet may not make a sound; there is nothing to say about it either.
  void context.resume().catch(staySilent);
}

function staySilent(): void {
  // The notification and the title say the same.
}

// Short tones of the scanner, which can be switched off.
const TONES = { found: 880, again: 440, unknown: 220 }; // hertz
const SECONDS = 0.09;

const box = document.querySelector("[data-scan-sound]");
box.checked = localStorage.getItem("scan.sound") !== "off";
box.addEventListener("change", () => localStorage.setItem("scan.sound", box.checked ? "on" : "off"));

let audio = null;

/** Play the tone for what became of a code. */
export function beep(what) {
  if (!box.checked || !window.AudioContext || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.value = 0.15;
  tone.frequency.value = TONES[what];
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + SECONDS);
}

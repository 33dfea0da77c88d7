// Turns a chart's SVG file into a PNG in the browser: loads it as a picture from this host, draws it, hands it over.
const SCALE = 2;

async function toPng(address) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth * SCALE;
  canvas.height = picture.naturalHeight * SCALE;
  const context = canvas.getContext("2d");
  context.fillStyle = "#fcfcfa";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

for (const button of document.querySelectorAll("[data-png]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const address = button.dataset.png;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await toPng(address));
    link.download = address.split("?")[0].split("/").pop().replace(/svg$/, "png");
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

// Verifies an exported log and evidence with golang.org/x/mod/sumdb, which knows nothing of us.
//
//	verify tlog VKEY DIR [OLD-CHECKPOINT]   the whole export, entry by entry
//	verify proof VKEY DIR                   the proof of an evidence bundle, and its growth
//	verify cosigned VKEY FILE WITNESS-VKEY…  a checkpoint with the cosignature of each witness
//
// Prints one line and ends with 0, or says what is wrong and ends with 1.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func check(ok bool, what string) {
	if !ok {
		must(fmt.Errorf("it does not hold"), what)
	}
}

func read(parts ...string) []byte {
	data, err := os.ReadFile(filepath.Join(parts...))
	must(err, "read")
	return data
}

// head opens a checkpoint under the key; other signatures are passed over.
func head(vkey string, checkpoint []byte) tlog.Tree {
	verifier, err := note.NewVerifier(vkey)
	must(err, "key")
	opened, err := note.Open(checkpoint, note.VerifierList(verifier))
	must(err, "note")
	lines := strings.Split(opened.Text, "\n")
	check(len(lines) == 4 && lines[0] == verifier.Name() && lines[3] == "", "three lines")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err, "size")
	hash, err := tlog.ParseHash(lines[2])
	must(err, "root")
	return tlog.Tree{N: size, Hash: hash}
}

// tiles reads tlog-tiles files; this package's own paths have the tile height in front.
type tiles struct{ dir string }

func (t tiles) Height() int { return 8 }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		path := "tile/" + strings.TrimPrefix(tile.Path(), "tile/8/")
		data, err := os.ReadFile(filepath.Join(t.dir, path))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func wholeLog(vkey, dir string, old string) {
	tree := head(vkey, read(dir, "checkpoint"))
	reader := tlog.TileHashReader(tree, tiles{dir})
	root, err := tlog.TreeHash(tree.N, reader)
	must(err, "root of the tiles")
	check(root == tree.Hash, "root of the tiles")
	for n := int64(0); n < tree.N; n += 256 {
		width := tree.N - n
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: n / 256, W: int(width)}
		path := "tile/entries/" + strings.TrimPrefix(tile.Path(), "tile/8/0/")
		bundle := read(dir, path)
		for i := n; i < n+width; i++ {
			check(len(bundle) >= 2, "entry bundle")
			length := int(binary.BigEndian.Uint16(bundle))
			check(len(bundle) >= 2+length, "entry bundle")
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			proof, err := tlog.ProveRecord(tree.N, i, reader)
			must(err, "prove")
			must(tlog.CheckRecord(proof, tree.N, tree.Hash, i, tlog.RecordHash(entry)), "entry")
		}
		check(len(bundle) == 0, "entry bundle")
	}
	if old != "" {
		before := head(vkey, read(old))
		proof, err := tlog.ProveTree(tree.N, before.N, reader)
		must(err, "prove growth")
		must(tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash), "growth")
	}
	fmt.Printf("verified %d entries\n", tree.N)
}

// hashes reads lines of base64 up to a blank line, and gives what follows it.
func hashes(data []byte) ([]tlog.Hash, []byte) {
	parts := bytes.SplitN(data, []byte("\n\n"), 2)
	check(len(parts) == 2, "blank line")
	var all []tlog.Hash
	for _, line := range strings.Split(string(parts[0]), "\n")[1:] {
		raw, err := base64.StdEncoding.Strict().DecodeString(line)
		must(err, "hash")
		var hash tlog.Hash
		check(copy(hash[:], raw) == 32 && len(raw) == 32, "hash")
		all = append(all, hash)
	}
	return all, parts[1]
}

func evidence(vkey, dir string) {
	lines := bytes.SplitN(read(dir, "event.tlog-proof"), []byte("\n"), 2)
	check(string(lines[0]) == "c2sp.org/tlog-proof@v1", "format")
	index, err := strconv.ParseInt(strings.TrimPrefix(strings.SplitN(string(lines[1]), "\n", 2)[0], "index "), 10, 64)
	must(err, "index")
	proof, checkpoint := hashes(lines[1])
	tree := head(vkey, checkpoint)
	leaf := tlog.RecordHash(read(dir, "event.json"))
	must(tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf), "event")
	if old, err := os.ReadFile(filepath.Join(dir, "before.checkpoint")); err == nil {
		before := head(vkey, old)
		growth, newer := hashes(read(dir, "consistency.txt"))
		check(bytes.Equal(newer, checkpoint), "one head")
		check(before.N <= index, "before")
		must(tlog.CheckTree(growth, tree.N, tree.Hash, before.N, before.Hash), "growth")
	}
	fmt.Printf("verified position %d\n", index+1)
}

// cosigner is a witness (C2SP tlog-cosignature): its key has the algorithm 4, its signature a time.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }
func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 72 {
		return false
	}
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(c.key, []byte(signed), sig[8:])
}

func witness(vkey string) note.Verifier {
	parts := strings.SplitN(vkey, "+", 3)
	check(len(parts) == 3, "key of a witness")
	typed, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	must(err, "key of a witness")
	check(len(typed) == 33 && typed[0] == 4, "key of a witness")
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), typed...))
	hash := binary.BigEndian.Uint32(sum[:])
	check(fmt.Sprintf("%08x", hash) == parts[1], "id of a witness")
	return cosigner{parts[0], hash, typed[1:]}
}

func cosigned(vkey, file string, vkeys []string) {
	verifier, err := note.NewVerifier(vkey)
	must(err, "key")
	all := []note.Verifier{verifier}
	for _, one := range vkeys {
		all = append(all, witness(one))
	}
	opened, err := note.Open(read(file), note.VerifierList(all...))
	must(err, "note")
	check(len(opened.Sigs) == len(all) && len(opened.UnverifiedSigs) == 0, "a signature of each")
	fmt.Printf("cosigned by %d\n", len(vkeys))
}

func main() {
	arguments := append(os.Args[1:], "", "", "", "")
	switch arguments[0] {
	case "tlog":
		wholeLog(arguments[1], arguments[2], arguments[3])
	case "cosigned":
		cosigned(arguments[1], arguments[2], os.Args[4:])
	case "proof":
		evidence(arguments[1], arguments[2])
	default:
		must(fmt.Errorf("tlog or proof"), "usage")
	}
}

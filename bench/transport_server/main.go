// A server for bench/transport_figures.py: Go's own, over TLS with HTTP/2 and HTTP/1.1, as a kube-apiserver has it.
// /get answers 1 KB, /list/N N megabytes, /watch one line and then nothing.
//
// usage: transport_server CA_FILE     writes its certificate there, and prints its URL
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// One of an authority of its own, whose certificate is written: some clients trust no server that is its own authority.
func certificate(file string) tls.Certificate {
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			log.Fatal(err)
		}
		return key
	}
	sign := func(template, parent *x509.Certificate, of *ecdsa.PrivateKey, by *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
		if err != nil {
			log.Fatal(err)
		}
		return der
	}
	from, until := time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	authorityKey, key := newKey(), newKey()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: from,
		NotAfter: until, KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sign(authority, authority, authorityKey, authorityKey)})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		log.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotBefore: from,
		NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true}
	return tls.Certificate{Certificate: [][]byte{sign(leaf, authority, key, authorityKey)}, PrivateKey: key}
}

func main() {
	own := certificate(os.Args[1])
	small := bytes.Repeat([]byte("x"), 1024)
	large := bytes.Repeat([]byte("x"), 1<<20)
	mux := http.NewServeMux()
	mux.HandleFunc("/get", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(small)
	})
	mux.HandleFunc("/list/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/list/"))
		for i := 0; i < n; i++ {
			w.Write(large)
		}
	})
	mux.HandleFunc("/watch", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("begun\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("https://%s\n", listener.Addr())
	server := &http.Server{Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{own},
		NextProtos: []string{"h2", "http/1.1"}}}
	log.Fatal(server.ServeTLS(listener, "", ""))
}
